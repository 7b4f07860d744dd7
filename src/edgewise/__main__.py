"""`python -m edgewise` is the `edgewise` of that Python."""

from edgewise.cli.program import main

# Processes that a study spawns import this file again, and must not run it.
if __name__ == "__main__":
    main()
