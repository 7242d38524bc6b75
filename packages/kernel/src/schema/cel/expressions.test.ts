import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StructuralSchema } from '@chandlery/api';
import { judge } from './test-rules.ts';

const list = (items: StructuralSchema, more: StructuralSchema = {}): StructuralSchema => ({
  type: 'array',
  items,
  ...more,
});
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({ type: 'object', properties });
const text: StructuralSchema = { type: 'string' };
const integer: StructuralSchema = { type: 'integer' };

const schema = object({
  text,
  empty: text,
  small: integer,
  large: integer,
  ratio: { type: 'number' },
  isOn: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
  span: { type: 'string', format: 'duration' },
  bytes: { type: 'string', format: 'byte' },
  names: list(text),
  numbers: list(integer),
  ratios: list({ type: 'number' }),
  nested: list(list(integer)),
  part: object({ a: text, missing: text }),
  labels: { type: 'object', additionalProperties: text },
  parts: { type: 'object', additionalProperties: object({ a: integer }) },
  ports: list(object({ name: text, port: integer })),
  percent: { 'x-kubernetes-int-or-string': true },
  count: { 'x-kubernetes-int-or-string': true },
  nothing: { type: 'string', nullable: true },
  gaps: list({ type: 'string', nullable: true }),
  'a-b': text,
  'a.b/c': text,
  namespace: text,
  a__b: text,
  set: list(text, { 'x-kubernetes-list-type': 'set' }),
  pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
});

const value = {
  text: 'héllo😀x',
  small: 5,
  large: 7,
  ratio: 2,
  isOn: true,
  time: '2024-01-02T03:04:05Z',
  day: '2024-01-02',
  span: '1h30m',
  bytes: 'aGVsbG8=',
  names: ['a', 'b', 'c'],
  numbers: [1, 2, 3],
  ratios: [1, 2.5],
  nested: [[1], [2, 3]],
  part: { a: 'q' },
  labels: { k: 'v', 'a b': 'c' },
  parts: { x: { a: 1 }, y: { a: 2 } },
  ports: [
    { name: 'a1', port: 80 },
    { name: 'a2', port: 81 },
  ],
  percent: '50%',
  count: 3,
  nothing: null,
  gaps: ['a', null],
  'a-b': 'dash',
  'a.b/c': 'dots',
  namespace: 'reserved',
  a__b: 'underscores',
  set: ['a', 'b'],
  pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} },
};

const met: Readonly<Record<string, readonly string[]>> = {
  'numbers are integers or doubles as the schema says': [
    'self.small + 2 == self.large',
    'self.small / 2 == 2 && self.small % 2 == 1',
    'self.ratio / 4.0 == 0.5',
    'self.small > 4.5 && self.ratio > 1',
    'self.count + 1 == 4',
    'dyn(self.small) == 5.0',
    'double(self.small) == 5.0 && int("5") == self.small && -self.small < 0',
  ],
  'logic, ternaries and membership': [
    'self.isOn ? self.small == 5 : self.small == 0',
    '!self.isOn || self.small > 3',
    "self.text == 'no' || self.small in [1, 5]",
    "'a' in self.names && !('z' in self.names)",
    "'k' in self.labels",
    '[has(self.text), has(self.empty)].filter(x, x).size() == 1',
    "self.names.exists(x, x == 'a' || 1 / 0 == 1)",
  ],
  'fields, maps and lists': [
    'has(self.text) && !has(self.empty) && has(self.part.a) && !has(self.part.missing)',
    "self.labels['k'] == 'v' && self.labels.k == 'v' && self.labels.exists(k, self.labels[k] == 'c')",
    "self.parts.x.a == 1 && self.parts['y'].a == 2 && has(self.parts.x) && !has(self.parts.z)",
    'has(self.ports[0].name) && self.ports[1].port == 81',
    'self.nested[1][0] == 2 && self.nested.all(x, x.all(y, y > 0))',
    "self.percent == '50%' && type(self.percent) == string && type(self.count) == int",
    '!has(self.nothing) && self.?nothing.orValue("none") == "none"',
    'has(self.gaps) && self.gaps[1] == null && self.gaps[0] == "a"',
    "self.a__dash__b == 'dash' && self.a__dot__b__slash__c == 'dots'",
    "self.__namespace__ == 'reserved' && self.a__underscores__b == 'underscores'",
    "self.pod.kind == 'Pod' && self.pod.metadata.name == 'p'",
    'self.part == self.part && self.ports[0] != self.ports[1] && self.part != null',
    "self.set == ['b', 'a'] && self.names != ['b', 'a', 'c']",
  ],
  loops: [
    "self.ports.all(x, x.name.startsWith('a'))",
    'self.ports.exists_one(x, x.port == 80)',
    'self.ports.all(x, self.ports.exists_one(y, y.name == x.name))',
    "self.ports.map(x, x.port > 80, x.name) == ['a2']",
    'self.ports.filter(x, x.port == 81)[0].name == "a2"',
    'self.names.all(self, self != "")',
    'self.names.all(i, name, i < 3 && name != "")',
    "self.names.transformList(i, name, name + string(i)) == ['a0', 'b1', 'c2']",
    "{'a': 1, 'b': 2}['b'] == 2 && {1: 'x'}[1] == 'x' && has({'a': 1}.a) && '%s'.format([{'a': [1]}]) == '{\"a\": [1]}'",
    '[[[[[1]]]]] == [[[[[1]]]]] && [[[[[1]]]]][0][0][0][0][0] == 1 && [1, "a"].size() == 2',
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && {'a': 1}.all(k, k == 'a')",
  ],
  'texts count characters': [
    'self.text.size() == 7 && size(self.text) == 7',
    "self.text.charAt(5) == '😀' && self.text.indexOf('x') == 6 && self.text.lastIndexOf('l') == 3",
    "self.text.substring(1, 3) == 'él' && self.text.upperAscii() == 'HéLLO😀X' && 'AÉ'.lowerAscii() == 'aÉ'",
    "'a,b,c'.split(',') == self.names && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && self.names.join('-') == 'a-b-c'",
    "'aaa'.replace('a', 'b', 2) == 'bba' && ' a '.trim() == 'a'",
    "self.text.matches('^h.*x$') && self.text.find('l+') == 'll' && self.text.findAll('l').size() == 2",
    "'%s has %d, %.2f, %x'.format(['a', 5, 2.0, 255]) == 'a has 5, 2.00, ff'",
    "'must be ' + string(self.small) == 'must be 5' && strings.quote('a') == '\"a\"'",
  ],
  'lists and sets': [
    'self.numbers.isSorted() && self.numbers.max() == 3 && self.numbers.min() == 1 && self.numbers.sum() == 6',
    'self.ratios.sum() == 3.5 && self.numbers.indexOf(2) == 1 && self.numbers.lastIndexOf(9) == -1',
    "sets.contains(self.names, ['a']) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects(self.names, ['c', 'd'])",
    "self.set + ['b', 'c'] == ['c', 'b', 'a'] && (self.set + ['a']).size() == 2",
    "self.names + ['d'] == ['a', 'b', 'c', 'd'] && [] == []",
  ],
  'times, durations and bytes': [
    "self.time > timestamp('2023-01-01T00:00:00Z') && self.time.getFullYear() == 2024",
    "self.time - self.day > duration('3h') && string(self.time) == '2024-01-02T03:04:05Z'",
    "self.span == duration('90m') && self.span.getHours() == 1 && string(self.span) == '5400s'",
    "string(self.bytes) == 'hello' && size(self.bytes) == 5 && self.bytes == b'hello'",
  ],
  'optional values': [
    "self.?text.orValue('') != '' && self.?empty.orValue('none') == 'none'",
    "!self.part.?missing.hasValue() && self.labels[?'q'].orValue('d') == 'd'",
    'optional.of(3).optMap(x, x + 1).orValue(0) == 4 && !optional.none().hasValue()',
  ],
  quantities: [
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('500m').add(quantity('500m')) == quantity('1')",
    "quantity('1k').asInteger() == 1000 && isQuantity('10Mi') && !isQuantity('abc') && quantity('-1').sign() == -1",
    "quantity('1.5').sub(1).compareTo(quantity('500m')) == 0 && quantity('0.5').asApproximateFloat() == 0.5",
  ],
  'addresses of all kinds': [
    "url('https://a.b:8080/c?d=e').getHost() == 'a.b:8080' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://a.b:8080/c?d=e').getQuery()['d'] == ['e'] && url('/c%20d').getEscapedPath() == '/c%20d'",
    "isURL('https://x') && !isURL('x y') && url('https://x').getPort() == '' && url('https://x').getScheme() == 'https'",
    "ip('10.0.0.1').family() == 4 && isIP('::1') && !isIP('1.2.3') && !isIP('::ffff:1.2.3.4') && ip.isCanonical('::1')",
    "string(ip('2001:0DB8:0:0::1')) == '2001:db8::1' && ip('127.0.0.1').isLoopback() && ip('8.8.8.8').isGlobalUnicast()",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsCIDR('0.0.0.0/0') && isCIDR('::/0')",
    "string(cidr('10.1.2.3/8').masked()) == '10.0.0.0/8' && cidr('fe80::/10').ip().isLinkLocalUnicast()",
  ],
};

describe('rules about values', () => {
  for (const [what, rules] of Object.entries(met)) {
    it(`know ${what}`, () => {
      for (const rule of rules) assert.equal(judge(schema, rule, value), 'met', rule);
    });
  }

  const failures: readonly (readonly [rule: string, says: string])[] = [
    ["self.text == 'other'", 'broken'],
    ["self.empty == ''", 'no such key: empty evaluating rule: broken'],
    ["has(self.part.missing) || self.part.missing == ''", 'no such key: missing evaluating rule: broken'],
    ['self.small / 0 == 1', 'division by zero evaluating rule: broken'],
    ["self.names[7] == 'a'", 'index out of bounds: 7 evaluating rule: broken'],
    ['self.small + 9223372036854775807 > 0', 'integer overflow: 9223372036854775812 evaluating rule: broken'],
    [
      'self.percent > 3',
      "'no such overload: dyn<string> > int': call arguments did not match a supported operator, function or macro signature for rule: broken",
    ],
    ["'abc'.substring(5) == ''", 'index out of range: 5 evaluating rule: broken'],
    ["'%s %s'.format([1]) == ''", 'index 1 out of range evaluating rule: broken'],
    ["self.names.all(x, 1 / 0 == 1 || x != 'a')", 'division by zero evaluating rule: broken'],
  ];
  for (const [rule, says] of failures) {
    it(`say what is wrong: ${rule}`, () => assert.equal(judge(schema, rule, value), says));
  }

  it('say that a text is no quantity', () => {
    assert.match(judge(schema, "quantity(self.text) == quantity('1')", value), /quantities must match/);
  });
});
