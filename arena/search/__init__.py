"""Where debaters search: the motion's brief, or nothing."""
