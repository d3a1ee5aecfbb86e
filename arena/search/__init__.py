"""Search for debaters: in the motion's brief, in documents, on the web, or none."""
