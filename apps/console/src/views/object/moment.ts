const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');

/** A moment as `<input type="datetime-local">` takes it, in the zone of the browser; empty for what is none. */
export function textOfMoment(value: string): string {
  const date = new Date(value);
  if (value === '' || Number.isNaN(date.getTime())) return '';
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** The way back, as RFC 3339 in UTC with whole seconds. */
export function momentOf(text: string): string {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
