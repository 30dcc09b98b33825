"""Settings, start-up, errors, interrupts, files, shipped data, and the patch of Trax."""
