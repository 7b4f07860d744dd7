"""The command line. Modules import only click at the top, so that `edgewise --help` is instant."""
