"""The commands of `arena`, one file each."""
