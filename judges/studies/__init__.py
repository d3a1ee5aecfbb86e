"""Studies of the judges themselves: agreement, planted defects, labelled pairs."""
