"""Release: the distributions of this version, built twice, checked and tried. Uploads nothing."""
