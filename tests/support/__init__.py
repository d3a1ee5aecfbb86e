"""What tests share: scripts, records made by hand, stand-ins, and commands in processes."""
