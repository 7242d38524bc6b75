import { ChandleryError } from '@chandlery/api';

/** One element as found in a DER document. */
export interface DerElement {
  readonly tag: number;
  /** Tag, length and contents. */
  readonly raw: Buffer;
  readonly contents: Buffer;
}

/** The elements that lie side by side in `bytes`. Rejects with `MalformedDer` when they do not add up. */
export function readElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const found = readElement(bytes.subarray(at));
    elements.push(found);
    at += found.raw.length;
  }
  return elements;
}

function readElement(bytes: Buffer): DerElement {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw malformed();
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  if (lengthOctets > 4 || bytes.length < 2 + lengthOctets) throw malformed();
  const length = lengthOctets === 0 ? first : bytes.readUIntBE(2, lengthOctets);
  const start = 2 + lengthOctets;
  if (bytes.length < start + length) throw malformed();
  return { tag, raw: bytes.subarray(0, start + length), contents: bytes.subarray(start, start + length) };
}

const malformed = (): ChandleryError =>
  new ChandleryError('MalformedDer', 'the DER document ends in the middle of an element');
