"""The same job on data of one's own, by the course and by its peers: scripts as their documentation has them."""
