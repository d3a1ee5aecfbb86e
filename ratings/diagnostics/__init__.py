"""What a board rests on: connectivity, cycles, influence, prediction."""
