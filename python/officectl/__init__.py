"""officectl: an office of agents whose scheduler is PostgreSQL itself."""

__version__ = "0.1.0"
