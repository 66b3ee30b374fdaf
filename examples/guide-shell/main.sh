job() { echo "job $1: $GREETING $2, it is $(date +%H:%M:%S)"; }
job a "$1" & job b "$1" &
wait

echo "this process: pid $$"
echo "it would listen on 127.0.0.1:$((20000 + $$ % 1000))"
echo "ticket $(od -An -N4 -tx1 /dev/urandom | tr -d ' \n') is yours"

files=$(ls -A "$HOME" | wc -l)
echo "home_files=$((files))" >>"$VERBATIM_VALUES"

exit 3 # the failure is what the lesson is about
