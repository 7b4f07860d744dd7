"""The command line; nothing imports it.

Every module here imports only click at the top, so that `edgewise --help` is instant. The
program starts in `edgewise.__main__`.
"""
