import { bytes, entry, envelope, number, text } from '../../../../packages/kubernetes/src/protobuf/test-encoder.ts';
import { bodyRow, core, custom, dry, fields, type HostileRow, thing, times } from './hostile-row.ts';

const maps = `${core}/configmaps?${dry}`;
const things = `${custom}/things?${dry}`;
const map = (rest: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'hostile', ...metadata },
  ...rest,
});
const yaml = { headers: { 'content-type': 'application/yaml' } };
const protobuf = { headers: { 'content-type': 'application/vnd.kubernetes.protobuf' } };
const yamlMap = (rest: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hostile}\n${rest}`;
const any = (json: string): string =>
  `{"apiVersion":"hostile.example.org/v1","kind":"Thing","metadata":{"name":"hostile"},"spec":{"any":${json}}}`;

/** JSON, YAML and protobuf that take long to read, check or write. */
export const bodyRows: readonly HostileRow[] = [
  bodyRow('a ConfigMap with one long value', 100_000, maps, size => map({ data: { a: 'x'.repeat(size) } })),
  bodyRow('a ConfigMap with many keys', 3000, maps, size => map({ data: fields(size, () => 'x') })),
  bodyRow('a ConfigMap with too many keys', 9000, maps, size => map({ data: fields(size, () => 'x') })),
  bodyRow('binaryData in many keys', 3000, maps, size => map({ binaryData: fields(size, () => 'eHg=') })),
  bodyRow('binaryData that is no base64', 140_000, maps, size => map({ binaryData: { a: '='.repeat(size) } })),
  bodyRow('many labels', 2000, maps, size => map({}, { labels: fields(size, () => 'x') })),
  bodyRow('labels that are not valid', 3000, maps, size => map({}, { labels: fields(size, () => 'x y!') })),
  bodyRow('many annotations', 1500, maps, size => map({}, { annotations: fields(size, () => 'x') })),
  bodyRow('many finalizers', 3000, maps, size => map({}, { finalizers: times(size, i => `example.org/f${i}`) })),
  bodyRow('many ownerReferences', 1000, maps, size =>
    map({}, { ownerReferences: times(size, i => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })) }),
  ),
  bodyRow('a long name', 100_000, maps, size => map({}, { name: 'x'.repeat(size) })),
  bodyRow('many managedFields', 500, maps, size =>
    map(
      {},
      {
        managedFields: times(size, i => ({
          manager: `m${i}`,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
        })),
      },
    ),
  ),
  bodyRow('one wide managedFields entry', 5000, maps, size =>
    map(
      {},
      {
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': Object.fromEntries(times(size, i => [`f:k${i}`, {}])) },
          },
        ],
      },
    ),
  ),
  bodyRow('one wide integer beside many values', 9000, things, size =>
    any(`{"a":[${times(size, () => 1).join()},9007199254740993]}`),
  ),
  bodyRow('many wide integers', 7000, things, size =>
    any(`{"a":[${times(size, () => '9223372036854775807').join()}]}`),
  ),
  bodyRow('many digits in strings', 7000, things, size =>
    any(`{"a":[${times(size, () => '"9223372036854775807"').join()}]}`),
  ),
  bodyRow('numbers with exponents', 9000, things, size => any(`{"a":[${times(size, () => '1e300').join()}]}`)),
  bodyRow('a number of many digits', 100_000, things, size => any(`{"a":${'9'.repeat(size)}}`)),
  bodyRow('a fraction of many digits', 100_000, things, size => any(`{"a":0.${'9'.repeat(size)}}`)),
  bodyRow('nested lists', 18, things, size =>
    any(`{"a":[${times(size, () => `${'['.repeat(490)}${']'.repeat(490)}`).join()}]}`),
  ),
  bodyRow('nested objects', 18, things, size =>
    any(`{"a":[${times(size, () => `${'{"a":'.repeat(240)}1${'}'.repeat(240)}`).join()}]}`),
  ),
  bodyRow('the same key many times', 3000, `${things}&fieldValidation=Strict`, size =>
    any(`{${times(size, () => '"a":1').join()}}`),
  ),
  bodyRow('different keys many times', 1500, `${things}&fieldValidation=Strict`, size =>
    any(`{${times(size, i => `"a${i}":1,"a${i}":1`).join()}}`),
  ),
  bodyRow('unknown fields, strict', 3000, `${things}&fieldValidation=Strict`, size => thing(fields(size, () => 1))),
  bodyRow('unknown fields, with warnings', 3000, `${things}&fieldValidation=Warn`, size =>
    thing(fields(size, () => 1)),
  ),
  bodyRow('unclosed JSON', 280_000, things, size => `{"a":"${'x'.repeat(size)}`),
  bodyRow('escapes in JSON', 40_000, things, size => any(`{"a":"${'\\u0041'.repeat(size)}"}`)),
  bodyRow('backslashes in JSON', 60_000, things, size => any(`{"a":"${'\\\\'.repeat(size)}"}`)),
  bodyRow('quotes in JSON', 60_000, `${things}&fieldValidation=Strict`, size => any(`{"a":"${'\\"'.repeat(size)}"}`)),
  bodyRow('blanks in JSON', 140_000, things, size => any(`{"a":1${' '.repeat(size)}}`)),
  bodyRow('__proto__ in many objects', 4500, things, size =>
    any(`{"a":[${times(size, () => '{"__proto__":{}}').join()}]}`),
  ),
  bodyRow(
    'YAML with many keys',
    900,
    maps,
    size => yamlMap(`data:\n${times(size, i => `  k${i}: x`).join('\n')}\n`),
    yaml,
  ),
  bodyRow('a flow list in YAML', 2000, things, size => yamlMap(`data: [${times(size, () => 'x').join()}]\n`), yaml),
  bodyRow(
    'aliases in YAML',
    10,
    maps,
    size => yamlMap(`a: &a [${'x,'.repeat(500)}]\nb: [${times(size, () => '*a').join()}]\n`),
    yaml,
  ),
  bodyRow('anchors in YAML', 1000, maps, size => yamlMap(`a: [${times(size, i => `&a${i} x`).join()}]\n`), yaml),
  bodyRow('blocks nested in YAML', 40, maps, size => yamlMap(times(size, i => `${' '.repeat(i)}a:`).join('\n')), yaml),
  bodyRow('many YAML documents', 900, maps, size => yamlMap(`${'---\na: 1\n'.repeat(size)}`), yaml),
  bodyRow(
    'a long block of text in YAML',
    1400,
    maps,
    size => yamlMap(`data:\n  a: |\n${`    ${'x'.repeat(95)}\n`.repeat(size)}`),
    yaml,
  ),
  bodyRow(
    'merge keys in YAML',
    300,
    maps,
    size => yamlMap(`a: &a {b: 1}\nc:\n${times(size, () => '  - <<: {x: 1}').join('\n')}\n`),
    yaml,
  ),
  bodyRow('comments in YAML', 2000, maps, size => yamlMap('# comment\n'.repeat(size)), yaml),
  bodyRow('escapes in YAML', 14_000, maps, size => yamlMap(`data: {a: "${'\\x41'.repeat(size)}"}\n`), yaml),
  bodyRow('folded lines in YAML', 2000, maps, size => yamlMap(`data:\n  a: >\n${'    x\n\n'.repeat(size)}`), yaml),
  bodyRow('open brackets in YAML', 100_000, maps, size => yamlMap(`a: ${'['.repeat(size)}`), yaml),
  bodyRow('tabs and blanks in YAML', 100_000, maps, size => yamlMap(`a:${' '.repeat(size)}x\n`), yaml),
  bodyRow(
    'many entries in protobuf',
    3000,
    maps,
    size =>
      envelope('v1', 'ConfigMap', [
        ...bytes(1, text(1, 'hostile')),
        ...times(size, i => entry(2, `k${i}`, text(2, 'x'))).flat(),
      ]),
    protobuf,
  ),
  bodyRow(
    'unknown fields in protobuf',
    10_000,
    maps,
    size => envelope('v1', 'ConfigMap', [...bytes(1, text(1, 'hostile')), ...times(size, () => number(99, 1)).flat()]),
    protobuf,
  ),
  bodyRow(
    'long numbers in protobuf',
    5000,
    maps,
    size =>
      envelope('v1', 'ConfigMap', [
        ...bytes(1, text(1, 'hostile')),
        ...times(size, () => number(98, 2n ** 64n - 1n)).flat(),
      ]),
    protobuf,
  ),
];
