"""The Maintenance operation: authored spec, rules, reads, agents, evaluator and controls. Everything is synthetic."""
