"""Tables and pictures of results that others computed."""
