import { fail } from '../../values/failure.ts';
import { Callable, type CallContext } from '../../values/value.ts';
import { type SprigTable, sprig } from './signature.ts';

const digits = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

function randomText(count: number, alphabet: string, { meter, random }: CallContext): string {
  if (count < 0) return '';
  meter.charge(count);
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)] ?? '').join('');
}

const fromAlphabet = (alphabet: string): Callable =>
  sprig('int', (args, context) => randomText(args.int(0), alphabet, context));

function uuid({ random }: CallContext): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = '89ab'[Math.floor(random() * 4)] ?? '8';
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function shuffle(text: string, { random }: CallContext): string {
  const characters = Array.from(text);
  for (let last = characters.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [characters[last], characters[other]] = [characters[other] ?? '', characters[last] ?? ''];
  }
  return characters.join('');
}

const randInt = sprig('int int', (args, { random }) => {
  const [min, max] = [args.int(0), args.int(1)];
  if (max <= min) return fail('invalid argument to Intn');
  return BigInt(min + Math.floor(random() * (max - min)));
});

/** Functions that make keys, ask the network or the process; an expression must not. */
const unavailable =
  'getHostByName bcrypt htpasswd genPrivateKey derivePassword buildCustomCert genCA genCAWithKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey encryptAES decryptAES';

/** sprig's random functions, which draw from the source that the caller gives. */
export const randomFunctions: SprigTable = {
  randAlphaNum: fromAlphabet(letters + digits),
  randAlpha: fromAlphabet(letters),
  randNumeric: fromAlphabet(digits),
  randAscii: fromAlphabet(printable),
  randBytes: sprig('int', (args, { meter, random }) => {
    meter.charge(Math.max(0, args.int(0)));
    return Buffer.from(Array.from({ length: Math.max(0, args.int(0)) }, () => Math.floor(random() * 256))).toString(
      'base64',
    );
  }),
  randInt,
  uuidv4: sprig('', (_, context) => uuid(context)),
  shuffle: sprig('string', (args, context) => shuffle(args.text(0), context)),
  ...Object.fromEntries(
    unavailable
      .split(' ')
      .map(name => [name, new Callable(() => fail(`sprig.${name} is not available in expressions here`))]),
  ),
};
