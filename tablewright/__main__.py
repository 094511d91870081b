"""`python -m tablewright`, which is what `tablewright` runs."""

import sys

from tablewright.commands.command_line import main

if __name__ == "__main__":
    sys.exit(main())
