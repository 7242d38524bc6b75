/** A time as Go's RFC 3339 writes it, in UTC and whole seconds. */
export const goTime = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const two = (value: number): string => String(value).padStart(2, '0');

/** What `workflow.creationTimestamp<key>` gives: formats by letters of strftime. */
export function creationTimeValues(milliseconds: number): readonly (readonly [key: string, value: string])[] {
  const time = new Date(milliseconds);
  const month = months[time.getUTCMonth()] ?? '';
  const day = days[time.getUTCDay()] ?? '';
  const hour = time.getUTCHours();
  return [
    ['', goTime(milliseconds)],
    ['.RFC3339', goTime(milliseconds)],
    ['.s', String(Math.floor(milliseconds / 1000))],
    ['.B', month],
    ['.b', month.slice(0, 3)],
    ['.m', two(time.getUTCMonth() + 1)],
    ['.A', day],
    ['.a', day.slice(0, 3)],
    ['.d', two(time.getUTCDate())],
    ['.H', two(hour)],
    ['.I', two(hour % 12 === 0 ? 12 : hour % 12)],
    ['.M', two(time.getUTCMinutes())],
    ['.S', two(time.getUTCSeconds())],
    ['.Y', String(time.getUTCFullYear())],
    ['.y', two(time.getUTCFullYear() % 100)],
    ['.p', hour < 12 ? 'AM' : 'PM'],
    ['.Z', 'UTC'],
    ['.z', '+0000'],
    ['.L', `.${String(time.getUTCMilliseconds()).padStart(3, '0')}`],
  ];
}
