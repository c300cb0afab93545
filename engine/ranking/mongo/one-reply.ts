/** A first reply holds 101 documents unless more are asked for, and what is left costs a second command. */
export function inOneReply(keys: readonly number[]): { readonly batchSize: number } {
  return { batchSize: keys.length + 1 };
}

function namesOf({ _id, codename, display_name, listed }: NamesDocument): OperatorNames {
  return {
    operator: _id,
    codename: codename ?? '',
    displayName: display_name,
    listed: listed && codename !== undefined,
  };
}
