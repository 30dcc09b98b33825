"""The course beside its references, its peers and the machine's limit: ``make bench``."""
