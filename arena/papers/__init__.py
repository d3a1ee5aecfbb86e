"""What only the experiments of the papers need: essays, questions, rounds, and their tables."""
