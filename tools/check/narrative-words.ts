/**
 * Words that hide a term of the field, each with terms to use instead. The glossary (docs/glossary.md) has the reasons.
 * A word stands for all the spellings that its pattern matches; patterns match whole words, in any letter case.
 */
export const narrativeWords: readonly (readonly [pattern: string, instead: string])[] = [
  ['told|tells?|telling|tellers?', 'notify, report, return, send'],
  ['hears?|heard', 'receive, interpret, observe'],
  ['wish|wishes|wished', 'desired state, request'],
  ['nobody|somebody|whoever|anybody|everybody', 'name the actor: no client, a caller, each replica'],
  ['anew', 'again, from the start'],
  ['believed|believes', 'cached, assumed'],
  ['spared', 'skipped, circuit breaker opened'],
  ['heed|heeds|heeded', 'handle, respect'],
  ['guests?|strangers?', 'client, anonymous, caller without rights'],
  ['doors?', 'authenticator, entry point'],
  ['shelf|shelves', 'cache'],
  ['chores?', 'task'],
  ['ill', 'unhealthy'],
  ['harm|harmed|harms', 'break, affect'],
  ['news', 'change, update'],
  ['lone', 'single'],
  ['gone', 'removed, deleted, closed, no longer exists'],
  ['goe?s? on', 'continue, in progress'],
  ['look(?:s|ed)? (?:at|after) (?:it|everything|them|again)', 'reconcile, inspect, maintain'],
  ['keeps? house', 'run maintenance'],
  ['is over', 'has ended, has expired'],
  ['in (?:its|their) turn', 'serially, under the lock'],
  ['by heart', 'in memory'],
];

/** The field's own terms and names that contain such a word: HTTP status 410 and its reason. */
export const fieldTerms: readonly RegExp[] = [/\b410 \(?Gone\b/gi, /`[^`]*`/g, /\bGone\b/g, /\bResource gone\b/g];
