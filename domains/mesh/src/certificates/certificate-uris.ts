import type { X509Certificate } from 'node:crypto';
import { objectIdentifier, readElements } from '@chandlery/platform';

type Element = ReturnType<typeof readElements>[number];

const subjectAlternativeName = objectIdentifier('2.5.29.17');
const uriTag = 0x86;
const extensionsTag = 0xa3;

/**
 * The URIs in the subject alternative names of a certificate, from its bytes: Node's text form is not reliable to
 * parse.
 */
export function certificateUris({ raw }: X509Certificate): readonly string[] {
  const fields = contentsOf(contentsOf(readElements(raw)[0])[0]);
  const extensions = contentsOf(contentsOf(fields.find(({ tag }) => tag === extensionsTag))[0]);
  const names = extensions.map(contentsOf).find(([oid]) => oid?.raw.equals(subjectAlternativeName));
  return contentsOf(contentsOf(names?.at(-1))[0])
    .filter(({ tag }) => tag === uriTag)
    .map(({ contents }) => contents.toString('latin1'));
}

const contentsOf = (element: Element | undefined): Element[] =>
  element === undefined ? [] : [...readElements(element.contents)];
