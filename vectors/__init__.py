"""The golden file and the conformance vectors as packaged data; ``operatebench vectors verify`` runs them."""
