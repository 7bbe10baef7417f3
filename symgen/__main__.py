"""``python -m symgen``: the same as the command ``symgen``."""

import sys

from symgen.cli.main import main

sys.exit(main())
