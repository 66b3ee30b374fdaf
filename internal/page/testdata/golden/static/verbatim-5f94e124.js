'script'
