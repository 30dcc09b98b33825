"""Settings, start-up, errors, interrupts and files: used by the rest of the package."""
