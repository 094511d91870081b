"""Local cloud: the application on this machine, on an emulated AWS."""
