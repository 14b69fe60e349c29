"""``python -m rangewise`` is the command line."""

from rangewise.cli import main

if __name__ == "__main__":
    main()
