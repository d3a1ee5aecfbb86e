"""How different a participant's essays on one proposition are from each other."""
