// Times are written in UTC; here they are shown in the reader's own time. Nothing else needs this script. It does without Intl,
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
