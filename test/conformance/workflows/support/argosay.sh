# Stands for the image argoproj/argosay.
case "$1" in
'') echo 'hello argo' ;;
echo)
  if [ -n "$3" ]; then
    mkdir -p "$(dirname "$3")"
    printf '%s' "$2" > "$3"
  else
    printf '%s\n' "$2"
  fi
  ;;
cat) cat "$2" ;;
sleep) sleep "$2" ;;
exit) exit "$2" ;;
*) exit 1 ;;
esac
