/** A rule of `validate.rules`: returns the problem, given its parameter, the value of the field and its other rules. */
type Rule = (parameter: unknown, value: unknown, siblings: Readonly<Record<string, unknown>>) => string | undefined;

const number = (value: unknown): number => Number(value);
const text = (value: unknown): string => value as string;
const length = (value: unknown): number => (value as ArrayLike<unknown>).length;

const unless = (holds: boolean, problem: string): string | undefined => (holds ? undefined : problem);

const bounds = (measure: (value: unknown) => number): Record<string, Rule> => ({
  gt: (limit, value) => unless(measure(value) > measure(limit), `must be > ${String(measure(limit))}`),
  gte: (limit, value) => unless(measure(value) >= measure(limit), `must be >= ${String(measure(limit))}`),
  lt: (limit, value) => unless(measure(value) < measure(limit), `must be < ${String(measure(limit))}`),
  lte: (limit, value) => unless(measure(value) <= measure(limit), `must be <= ${String(measure(limit))}`),
});

const numeric = bounds(number);

const nanoseconds = (value: unknown): number => {
  const { seconds = 0, nanos = 0 } = value as { seconds?: unknown; nanos?: number };
  return number(seconds) * 1e9 + nanos;
};

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const strictHeaders: Readonly<Record<string, RegExp>> = {
  HTTP_HEADER_NAME: /^:?[0-9a-zA-Z!#$%&'*+.^_|~`-]+$/,
  HTTP_HEADER_VALUE: /^[^\p{Cc}]*$/u,
};

const headerPattern: Rule = (name, value, { strict = true }) => {
  const pattern = strict === false ? /^[^\0\n\r]*$/ : strictHeaders[text(name)];
  return unless(pattern?.test(text(value)) ?? false, `must be a ${text(name)}`);
};

const required: Rule = () => undefined;

/** The supported rules by kind. Required fields are checked before. */
export const validationRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  any: { required },
  message: { required },
  bool: { const: (wanted, value) => unless(wanted === value, `must be ${String(wanted)}`) },
  bytes: {
    min_len: (limit, value) => unless(length(value) >= number(limit), `must have ${String(limit)} bytes or more`),
    max_len: (limit, value) => unless(length(value) <= number(limit), `must have ${String(limit)} bytes or less`),
  },
  double: numeric,
  uint32: numeric,
  uint64: numeric,
  duration: { required, ...bounds(nanoseconds) },
  enum: {
    defined_only: required,
    not_in: (values, value) => unless(!asList(values).map(number).includes(number(value)), 'must not be that'),
  },
  map: {
    min_pairs: (limit, value) => unless(Object.keys(value as object).length >= number(limit), 'has too few pairs'),
  },
  repeated: {
    min_items: (limit, value) => unless(length(value) >= number(limit), `must have ${String(limit)} items or more`),
    max_items: (limit, value) => unless(length(value) <= number(limit), `must have ${String(limit)} items or less`),
    unique: (_, value) => unless(new Set(value as unknown[]).size === length(value), 'must not have an item twice'),
  },
  string: {
    ignore_empty: required,
    strict: required,
    well_known_regex: headerPattern,
    in: (values, value) => unless(asList(values).includes(value), `must be one of ${asList(values).join(', ')}`),
    min_len: (limit, value) =>
      unless(Array.from(text(value)).length >= number(limit), `must have ${String(limit)} letters`),
    max_bytes: (limit, value) => unless(Buffer.byteLength(text(value)) <= number(limit), 'is too long'),
    pattern: (pattern, value) => unless(new RegExp(text(pattern)).test(text(value)), `must match ${text(pattern)}`),
  },
};
