/** What a change of files means for a provider that runs. */
export type Effect = 'nothing' | 'config' | 'everything';

/** Files that the running provider does not consist of. */
const aside = /(\.test\.[cm]?[jt]s|\.md|(^|\/)(order|validation|service|deployment)\.yaml|(^|\/)Dockerfile)$/;

/** The effect of changed files. Pure. */
export function effectOf(files: readonly string[]): Effect {
  const relevant = files.filter(file => !aside.test(file));
  if (relevant.length === 0) return 'nothing';
  return relevant.every(file => file === 'config.yaml') ? 'config' : 'everything';
}
