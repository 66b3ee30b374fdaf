'search'
