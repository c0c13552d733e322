"""The bound component: a domain-free engine, and the operation it runs."""
