"""``python -m validation.parity``: the comparison with R alone, also in another project."""

import argparse
import sys

from validation.parity import command

parser = argparse.ArgumentParser(prog="python -m validation.parity", description=command.__doc__)
command.add_arguments(parser)
if __name__ == "__main__":
    sys.exit(command.main(parser.parse_args()))
