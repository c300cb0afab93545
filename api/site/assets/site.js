// Times are written in UTC; here they are shown in the reader's own time. It does without Intl,
// whose first use holds up a phone for a tenth of a second.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number) => String(number).padStart(2, '0');
for (const element of document.querySelectorAll('time[datetime]')) {
  const at = new Date(element.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const ahead = -at.getTimezoneOffset();
  const hours = Math.trunc(Math.abs(ahead) / 60);
  const minutes = Math.abs(ahead) % 60;
  const zone = ahead === 0 ? 'UTC' : `UTC${ahead > 0 ? '+' : '-'}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`;
  element.title = element.textContent ?? '';
  element.textContent = `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
}

// Codenames are offered while one is typed; without this script the form finds their beginnings, too.
for (const input of document.querySelectorAll('form[role="search"] input')) {
  const list = document.createElement('datalist');
  list.id = 'codenames';
  input.after(list);
  input.setAttribute('list', list.id);
  let asked = 0;
  const offer = async () => {
    const prefix = input.value.trim();
    asked += 1;
    const number = asked;
    const address = new URL('operators.json', input.form.action);
    address.searchParams.set('prefix', prefix);
    const response = prefix === '' ? null : await fetch(address).catch(() => null);
    if (response?.ok !== true || number !== asked) return;
    const { codenames } = await response.json();
    list.replaceChildren(...codenames.map((codename) => new Option(codename, codename)));
  };
  input.addEventListener('input', ({ inputType }) => {
    // What is chosen from the list comes at once, without keys.
    if (inputType === undefined || inputType === 'insertReplacementText') input.form.requestSubmit();
    else void offer();
  });
}

// A screen in a room shows the board as it is now.
const SCREEN_MS = 60_000;
if (document.body.className === 'screen') setTimeout(() => location.reload(), SCREEN_MS);
