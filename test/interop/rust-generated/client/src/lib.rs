//! Nothing here: see the manifest.
