"""Where data comes from: the registry, verified downloads, and readers of tables, the course's and your own."""
