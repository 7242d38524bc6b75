import { ChandleryError } from '@chandlery/api';

/** The sections that `--only` asks for, several in one word or in several; all when it asks for none. */
export function chooseSections<Name extends string>(only: readonly string[], known: readonly Name[]): readonly Name[] {
  const wanted = only.flatMap(text => text.split(','));
  const unknown = wanted.find(name => !known.some(section => section === name));
  if (unknown !== undefined) {
    throw new ChandleryError('UnknownSection', `there is no section "${unknown}"`, {
      hint: `use one of ${known.join(', ')}`,
    });
  }
  return known.filter(name => wanted.length === 0 || wanted.includes(name));
}
