"""The tests of the project; they mirror its modules."""
