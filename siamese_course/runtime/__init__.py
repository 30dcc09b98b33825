"""Settings, start-up, errors and interrupts: what everything else leans on."""
