"""Which rank goes where, so that those that talk much are near each other on the machine."""
