package languages

// stop has the stop lists, by language: the articles, pronouns, prepositions, conjunctions
// and auxiliary verbs that are the most frequent. An index records the name of a list, so
// a list must not change.
var stop = map[string]string{
	"arabic": `في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم أن إن أو و ثم ما لا لم لن
		قد كان كانت كل بعد قبل بين حتى إذا لكن عند منذ أي كما`,
	"danish": `af alle at blev da de dem den der deres det dig din du efter eller en er et for fra ham han
		har havde hende hun hvor i ikke ind jeg kan man med men mig min ned nu når og om op os på sig sin
		skal som til ud under var vi vil være`,
	"dutch": `aan al als bij dan dat de der die dit door een en er haar had heb heeft het hij hoe hun ik
		in is je kan maar me met mijn na naar niet nog of om onder ons ook op over s t te toch tot u uit
		van voor was wat we wel werd wordt zal ze zich zij zijn zo zou`,
	"finnish": `ei eivät en et ja joka jonka jos jota jotka kanssa kuin kun kuten me minä mitä mukaan mutta
		myös ne niin niitä nyt olen oli olivat olla on ovat se sekä sen siinä siitä sitä sinä tai tämä tämän
		te vai vaan voi että hän hänen he ole ollut`,
	"french": `a à au aux avec ce ces cette d dans de des du elle elles en est et été être eu il ils j je l la le
		les leur leurs lui ma mais me même mes mon n ne nos notre nous on ont ou où par pas pour qu que qui s
		sa se ses son sont sur ta te tes toi ton tu un une vos votre vous y`,
	"german": `aber als am an auch auf aus bei bin bis da das dass daß dem den der des die du durch ein eine
		einem einen einer eines er es für hat ich ihr im in ist ja mit nach nicht noch nur ob oder sein sich
		sie sind so um und uns vom von vor war was wie wir wird zu zum zur`,
	"hungarian": `a az azt abban ahogy aki akik amely amelyek amikor amit be csak de e egy egyik el én és ez
		ezek ezt ha hanem hogy is itt ki le majd már meg mert mi mint most nagyon nem ő ők olyan össze pedig
		sem szerint több után vagy van volt volna`,
	"irish": `a ach ag agus an aon ar as b ba bhí bhur d dá dar de den do don é faoi go gur h i iad idir
		in is le leis lena m mar mo n na nach ní níl nó nuair ó os roimh sa san sé sí sin siad sna t tá thar
		tú um`,
	"italian": `a ad agli ai al alla alle anche c che chi ci come con da dagli dai dal dalla dalle d degli dei
		del della delle di e è ed era gli ha hanno ho i il in io l la le lei lo loro lui ma mi ne negli nei nel
		nella nelle noi non o per più quale quella quello questa questo se si sono su sua sui sul sulla suo ti
		tra tu un una uno vi voi`,
	"norwegian": `alle at av ble da de deg dei dem den der deres det du eg eit eller en er et etter for fra
		få ha hadde han har hun hva hvor i ikke ikkje ja jeg kan man med meg men min mot noe nå når og også om
		opp oss på seg sin skal som så til ut var ved vi vil være`,
	"portuguese": `a ao aos as à às até com como da das de dela dele do dos e é ela elas ele eles em entre era
		essa esse esta este eu foi há isso isto já lhe mais mas me mesmo meu minha muito na não nas nem no nos
		o os ou para pela pelo por qual quando que quem são se sem ser seu só sua também te tem um uma você`,
	"romanian": `a acea aceasta acest această acesta ai al ale am ar are as au avea ca care ce cei cel cu că
		da dar de decât despre din doar după e ea ei el ele era este eu fi fie fost iar la le lor lui mai ne
		noi nu o pe pentru prin sa sau se și sunt să te tu un una unei unui va`,
	"russian": `а без более бы был была были было быть в вам вас все всего вы где да для до его ее если есть еще
		же за здесь и из или им их к как когда кто ли мне мы на над не него нее нет но о об он она они от по
		под при с со так там то того тоже только у уже чем что это этот этого я`,
	"spanish": `a al algo como con cual cuando de del desde donde e el él ella ellas ellos en entre era es esa ese
		esta está este esto fue ha han hasta hay la las le les lo los más me mi muy ni no nos o os para pero
		por porque que qué quien se ser si sí sin sobre son su sus también te tu tú un una uno y ya yo`,
	"swedish": `alla att av blev bli då de dem den denna deras dess det detta dig din dom du där efter eller
		en er ett för från ha hade han har hennes hon honom hur här i icke in inte jag kan man med men mig min
		mot ni nu när och om oss på sedan sig sin ska skulle som så till under upp ut var vi vid vill är`,
	"tamil": `ஒரு என்று மற்றும் இந்த இது என்ற கொண்டு என்பது பல ஆகும் அல்லது அவர் நான் உள்ள அந்த இவர் என முதல் என்ன
		இருந்து சில என் போன்ற வேண்டும் வந்து இதன் அது அவன் தான் பலரும் என்னும் மேலும் பின்னர் கொண்ட இருக்கும் தனது
		உள்ளது போது என்றும் அதன் தன் பிறகு அவர்கள் வரை அவள் நீ ஆகிய இருந்தது உள்ளன வந்த இருந்த மிகவும் இங்கு மீது`,
	"turkish": `acaba ama ancak aslında az bana bazı belki ben beni benim bir biri biz bu buna bunu bunun çok
		çünkü da daha de değil diye en gibi hem hep her hiç için ile ise kadar ki kim mı mi mu mü nasıl ne neden
		o olan olarak ona onlar onu onun şey şu ve veya ya yani`,
}
