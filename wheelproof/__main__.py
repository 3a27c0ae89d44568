"""`python -m wheelproof` is the command `wheelproof`."""

from wheelproof.cli import main

if __name__ == "__main__":
    main()
