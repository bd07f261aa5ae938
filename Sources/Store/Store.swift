/// To be written.
