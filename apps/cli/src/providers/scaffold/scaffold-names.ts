import { ChandleryError } from '@chandlery/api';

/** The forms in which a provider's name appears in its code. */
export interface ScaffoldNames {
  /** `ice-cream`: objects, groups, images. */
  readonly kebab: string;
  /** `iceCream`: identifiers. */
  readonly camel: string;
  /** `IceCream`: kinds and types. */
  readonly pascal: string;
}

/** Groups are domain names, and kinds a part of plurals: what both allow. */
const pattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const longest = 30;

/** The forms of a name. Throws `NameInvalid`. */
export function scaffoldNames(kebab: string): ScaffoldNames {
  if (!pattern.test(kebab) || kebab.length > longest) {
    throw new ChandleryError('NameInvalid', `"${kebab}" cannot be the name of a provider`, {
      hint: `Use at most ${longest} lower-case letters, digits and single dashes, beginning with a letter: ice-cream.`,
    });
  }
  const parts = kebab.split('-').map(part => `${part.charAt(0).toUpperCase()}${part.slice(1)}`);
  const pascal = parts.join('');
  return { kebab, pascal, camel: `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}` };
}

const quoted = /('[^'\n]*'|`[^`]*`)/;

/** Puts the name in the place of `sample`: as text inside quotes, as an identifier outside of them. */
export function rename(file: string, text: string, { kebab, camel, pascal }: ScaffoldNames): string {
  const withKind = text.replaceAll('Sample', pascal);
  if (!file.endsWith('.ts')) return withKind.replaceAll('sample', kebab);
  return withKind
    .split(quoted)
    .map(part => part.replaceAll('sample', quoted.test(part) ? kebab : camel))
    .join('');
}
